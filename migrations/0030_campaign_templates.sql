-- Campaigns to make again. The content is a snapshot: what it was taken from may change or go.
create table campaign_templates (
  project_id    text not null references projects,
  id            text not null,
  name          text not null,
  description   text,
  campaign_type text not null check (campaign_type in ('DISCOUNT_COUPONS', 'GIFT_VOUCHERS')),
  content       jsonb not null,
  created_at    timestamptz not null,
  updated_at    timestamptz,
  primary key (project_id, id),
  constraint campaign_templates_unique_name unique (project_id, name)
);
