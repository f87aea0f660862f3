-- What requests write by the thousand, as in `0022_hot_inserts.sql`. A foreign key asks for the project again with each row, and locks
-- its row: all requests of a project would share that lock.
alter table sessions drop constraint sessions_project_id_fkey;
alter table session_locks drop constraint session_locks_project_id_fkey;
alter table session_sums drop constraint session_sums_project_id_fkey;
alter table customer_stamps drop constraint customer_stamps_project_id_fkey;
alter table redeemable_stamps drop constraint redeemable_stamps_project_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_project_id_fkey;
alter table webhook_attempts drop constraint webhook_attempts_project_id_fkey;
