export const points = {
  title: "Mitglieder und Punkte",
  members: "Mitglieder",
  active_one: "{{shown}} ist aktiv",
  active_other: "{{shown}} sind aktiv",
  issued: "Vergebene Punkte",
  spent: "Ausgegeben",
  removed: "Zurückgenommen",
  expired: "Verfallen",
  outstanding: "Offen",
  pending: "und {{shown}} ausstehend",
  expires: "{{shown}} der offenen Punkte verfallen in diesen drei Monaten.",
  noneExpires: "In diesem Monat und den beiden danach verfallen keine Punkte.",
};
