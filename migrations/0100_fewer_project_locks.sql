-- What requests write by the thousand, as in `0022_hot_inserts.sql`: a foreign key asks once more for the project with each row, and
-- locks the row of the project, which all its requests then share.
alter table sessions drop constraint sessions_project_id_fkey;
alter table session_locks drop constraint session_locks_project_id_fkey;
alter table session_sums drop constraint session_sums_project_id_fkey;
alter table customer_stamps drop constraint customer_stamps_project_id_fkey;
alter table redeemable_stamps drop constraint redeemable_stamps_project_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_project_id_fkey;
alter table webhook_attempts drop constraint webhook_attempts_project_id_fkey;
