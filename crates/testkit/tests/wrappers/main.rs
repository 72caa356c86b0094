//! Generated C inside its hosts: units that our own importer loads, S-functions and PLC modules against stubs of their
//! vendors' headers. The numbers are those of the library.

mod bench;
mod fmu;
mod simulink;
mod twincat;
