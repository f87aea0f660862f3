-- When the members of an auto-update segment were last worked out for everybody: those whose filter looks at the time
-- are due again every day.
alter table segments add column recalculated_at timestamptz;
