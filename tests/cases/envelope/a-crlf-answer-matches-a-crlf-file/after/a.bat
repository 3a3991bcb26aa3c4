@echo off
echo 2
