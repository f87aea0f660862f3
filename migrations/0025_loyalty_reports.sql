-- Moves between tiers, by the moment in which they came into force: one that waited was made before.
create index loyalty_tier_moves_by_day on loyalty_transactions (project_id, program_id, (coalesce(updated_at, created_at)))
  where kind = 'tier' and status = 'APPROVED';
