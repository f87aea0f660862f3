-- Failed redemptions of codes that are not there are found by the words they were asked for with. Those from before have
-- them only in what is shown. It reads the failures through their index, and locks no row that a request changes. It
-- comes before what locks a table, so that nobody waits while it runs.
update redemptions set related_object_id = effect->'asked'->>'id'
where result = 'FAILURE' and related_object_id is null and effect->'asked'->>'id' is not null;
