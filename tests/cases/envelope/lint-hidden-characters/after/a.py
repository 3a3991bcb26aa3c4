if level != "user‮ ⁦# only for admins⁩ ⁦":
    stop()
