export const locations = {
  title: "Locations",
  search: "Part of a name",
  empty: "There are no locations.",
  emptyHelp: "Rules can ask whether somebody is in one of them.",
  name: "Name",
  shape: "Shape",
  circle: "{{radius}} around {{center}}",
  area: "Area on the map",
  created: "Created",
  id: "Id",
};
