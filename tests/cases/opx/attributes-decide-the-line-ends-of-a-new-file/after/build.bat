@echo off
make
