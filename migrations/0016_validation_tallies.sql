-- How often what belongs to a campaign was validated, by the day of the project's calendar: validations themselves are
-- not kept for ever. Each batch adds rows and locks none; a job adds them together.
create table validation_tallies (
  project_id  text not null references projects,
  id          text not null,
  campaign_id text not null,
  day         date not null,
  succeeded   bigint not null,
  failed      bigint not null,
  primary key (project_id, id)
);
create index validation_tallies_by_campaign on validation_tallies (project_id, campaign_id, day);
