-- left: select count(*) from receipts
-- A receipt as it was kept until now is a whole one, and stays readable as it is.
create temporary table moved on commit drop as
  select project_id, redemption_id, receipt from receipts order by project_id, redemption_id limit 2000;
update redemptions r set receipt = coalesce(m.receipt, 'false') from moved m
  where r.project_id = m.project_id and r.id = m.redemption_id;
delete from receipts x using moved m where x.project_id = m.project_id and x.redemption_id = m.redemption_id;
select count(*)::int as rows from moved;
