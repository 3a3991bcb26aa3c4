#!/bin/sh
exec old
