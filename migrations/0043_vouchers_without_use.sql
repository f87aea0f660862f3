-- What a code was used for is in `voucher_states` now. Nothing that a redemption changes is in an index of codes.
drop index vouchers_unpublished;
alter table vouchers drop column redeemed_quantity, drop column uses, drop column account, drop column tier;
create index vouchers_unpublished on vouchers (project_id, campaign_id, id)
  where campaign_id is not null and deleted_at is null and active and published_count = 0;
