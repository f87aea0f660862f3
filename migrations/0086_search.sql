-- What customers are found by as somebody types: the start of a name, source id or phone number, in any case. E-mail addresses have
-- such an index already.
create index customers_by_name_typed on customers (project_id, lower(name) text_pattern_ops) where name is not null;
create index customers_by_source_id_typed on customers (project_id, lower(source_id) text_pattern_ops)
  where source_id is not null;
create index customers_by_phone_typed on customers (project_id, lower(phone) text_pattern_ops) where phone is not null;
