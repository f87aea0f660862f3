-- When somebody asked for tiers to be looked at: they are looked at as of that moment, whenever the sweep comes by.
alter table loyalty_reviews add column asked_at timestamptz not null default now();
alter table loyalty_reviews alter column asked_at drop default;
create index loyalty_reviews_asked on loyalty_reviews (project_id, asked_at);

-- The customer up to whom the members of an auto-update segment are worked out for its next moment.
alter table segments add column recalculated_after text not null default '';
