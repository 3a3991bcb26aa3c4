<?php
f();
f();
