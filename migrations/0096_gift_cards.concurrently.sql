-- What is left on all gift cards is added up from these, and not from the rows of all codes.
create index concurrently vouchers_gift_cards on vouchers (project_id, campaign_id, id)
  where type = 'GIFT_VOUCHER' and deleted_at is null;
