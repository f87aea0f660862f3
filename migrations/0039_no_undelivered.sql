-- Nothing reads it, and every event was entered in it.
drop index events_undelivered;
