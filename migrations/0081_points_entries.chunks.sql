-- left: select count(*) from ledger_entries e where is_points is null and (exists (select from vouchers v where v.project_id = e.project_id and v.id = e.account_id and v.type = 'LOYALTY_CARD') or exists (select from loyalty_cards c where c.project_id = e.project_id and c.id = e.account_id))
-- Until now an entry did not say whether it moved points or credits. What belongs to no card any more moved credits, for all we know.
create temporary table moved on commit drop as
  select e.project_id, e.id from ledger_entries e
  where is_points is null and (exists (
      select from vouchers v where v.project_id = e.project_id and v.id = e.account_id and v.type = 'LOYALTY_CARD')
    or exists (select from loyalty_cards c where c.project_id = e.project_id and c.id = e.account_id))
  limit 5000;
update ledger_entries e set is_points = true from moved m where e.project_id = m.project_id and e.id = m.id;
select count(*)::int as rows from moved;
