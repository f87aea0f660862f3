-- Who was brought by whom. A customer is referred once in a campaign, whatever they do after it.

create table referral_conversions (
  project_id          text not null references projects,
  campaign_id         text not null,
  -- Of one who was erased, a name that says nothing: the referrer still has brought somebody.
  referee_id          text not null,
  -- Null: erased.
  referrer_id         text,
  voucher_id          text not null,
  related_object_type text not null check (related_object_type in ('redemption', 'custom_event', 'order')),
  related_object_id   text not null,
  created_at          timestamptz not null,
  primary key (project_id, campaign_id, referee_id)
);
create index referral_conversions_by_referee on referral_conversions (project_id, referee_id);
create index referral_conversions_by_referrer on referral_conversions (project_id, referrer_id, campaign_id)
  where referrer_id is not null;
