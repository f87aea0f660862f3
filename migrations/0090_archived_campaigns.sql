-- Campaigns that were put away: nothing of them applies, and lists leave them out. Null: it is not archived (ADR 0057).
alter table campaigns add column archived_at timestamptz;
