-- A redemption is one row of events: what else its request tells of the same code stands behind the first event, in this
-- order. Null: nothing does. The last of the payloads is that of all kinds from there on.
alter table events
  add column also text[],
  add column also_payloads json[];
