-- Lists of a campaign's transactions leave out what cards began with and what waits, so their index does. Every gift card begins
-- with such an entry.
create index ledger_entries_told on ledger_entries (project_id, campaign_id, id)
  where campaign_id is not null and kind <> 'opening' and pot = 'available';
drop index ledger_entries_by_campaign;
