//! What is said of the program's own errors and warnings beside their headlines, one file a room.

mod repo;
mod transaction;
