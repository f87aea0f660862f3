-- left: select (select count(*) from vouchers where redeemed_quantity > 0 or uses is not null or account is not null or tier is not null) - (select count(*) from voucher_states) as count
-- Codes are gone through in the order of their key, so the last one that has a state says where to go on.
with done as (
  select project_id, voucher_id from voucher_states order by project_id desc, voucher_id desc limit 1
), made as (
  insert into voucher_states (project_id, voucher_id, updated_at, redeemed_quantity, uses, account, tier)
  select project_id, id, updated_at, redeemed_quantity, uses, account, tier from vouchers
  where (project_id, id) > (coalesce((select project_id from done), ''), coalesce((select voucher_id from done), ''))
    and (redeemed_quantity > 0 or uses is not null or account is not null or tier is not null)
  order by project_id, id limit 2000
  returning 1
)
select count(*)::int as rows from made
