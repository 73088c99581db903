# stepper.jl: velocity Verlet for kepler as a program in Julia:
#
#   steppers:
#     verlet-julia: {program: [julia, stepper.jl], claims: "order=2, symplectic, symmetric, momentum", systems: [kepler]}
# SPDX-License-Identifier: BSD-2-Clause
const mu = Ref(1.0)

acceleration(q) = -mu[] .* q ./ hypot(q...)^3

function step(h, q, v)
    v = v .+ h / 2 .* acceleration(q)
    q = q .+ h .* v
    return q, v .+ h / 2 .* acceleration(q)
end

for line in eachline(stdin)
    words = split(line)
    if words[1] == "begin"
        for word in words[5:end]
            name, value = split(word, "=")
            name == "mu" && (mu[] = parse(Float64, value))
        end
        println(words[2] == "kepler" ? "ok" : "refuse it does not know $(words[2])")
    else
        h, x, y, u, w = parse.(Float64, words[2:6])
        q, v = step(h, [x, y], [u, w])
        println("ok ", join([q; v], " "))
    end
    flush(stdout)
end
