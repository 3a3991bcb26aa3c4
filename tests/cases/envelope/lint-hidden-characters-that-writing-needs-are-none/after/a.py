if level != "👨‍👩‍👧 🏴󠁧󠁢󠁿 نامه‌ای":
    stop()
