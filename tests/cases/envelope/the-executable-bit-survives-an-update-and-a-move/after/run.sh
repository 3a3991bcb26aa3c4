#!/bin/sh
exec new
