-- What a shop sells. Products and SKUs that are deleted without force stay, in the bin, until they are purged.

create table products (
  project_id text not null references projects,
  id         text not null,
  source_id  text,
  name       text,
  price      bigint check (price >= 0),
  attributes text[] not null default '{}',
  metadata   jsonb not null default '{}',
  image_url  text,
  created_at timestamptz not null,
  updated_at timestamptz,
  deleted_at timestamptz,
  primary key (project_id, id)
);
create unique index products_unique_source_id on products (project_id, source_id) where deleted_at is null;
create index products_by_age on products (project_id, created_at, id) where deleted_at is null;

create table skus (
  project_id text not null,
  id         text not null,
  source_id  text,
  product_id text not null,
  sku        text,
  price      bigint check (price >= 0),
  currency   text,
  attributes jsonb not null default '{}',
  metadata   jsonb not null default '{}',
  image_url  text,
  created_at timestamptz not null,
  updated_at timestamptz,
  deleted_at timestamptz,
  primary key (project_id, id),
  foreign key (project_id, product_id) references products
);
create unique index skus_unique_source_id on skus (project_id, source_id) where deleted_at is null;
create index skus_by_product on skus (project_id, product_id, created_at, id) where deleted_at is null;

-- A fixed list, or a filter over products and SKUs.
create table product_collections (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  type       text not null check (type in ('STATIC', 'AUTO_UPDATE')),
  products   jsonb not null default '[]',
  filter     jsonb,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id),
  check ((filter is not null) = (type = 'AUTO_UPDATE'))
);

create table locations (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  shape      jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id)
);
