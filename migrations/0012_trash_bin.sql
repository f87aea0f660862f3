-- What was deleted without force, until it is purged. What went along with it (the SKUs of a product) has no entry.
create table trash_bin_entries (
  project_id         text not null references projects,
  id                 text not null,
  resource_type      text not null,
  resource_id        text not null,
  resource_name      text not null,
  resource_parent_id text,
  created_at         timestamptz not null,
  primary key (project_id, id)
);
create index trash_bin_entries_by_parent on trash_bin_entries (project_id, resource_parent_id)
  where resource_parent_id is not null;

-- Collections list products and SKUs together, by age.
create index skus_by_age on skus (project_id, created_at, id) where deleted_at is null;
-- Purging a product looks for its SKUs in the bin too.
create index skus_by_any_product on skus (project_id, product_id);
