# lie_oracle.py: the integrators on SO(3)^k x R^m from discretization maps, written as in the paper and
# solved by brute force: the independent side of test_lie.py. Barbero-Linan, Martin de Diego, Sato Martin de
# Almagro, section 6, in the sign p' = -dV - G'lambda.
#
# A state is (R, alpha, x, p): rotations [k, 3, 3], body momenta [k, 3], vectors [m] and their momenta. The
# unknowns are the body velocities xi [k, 3], the velocities of x and the multipliers; Newton's matrix comes
# from complex steps.
import numpy as np

ONE = np.eye(3)


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def vee(A):  # <A, hat(e_i)>
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def cayley(x):  # (1 - hat(x)/2)^-1 (1 + hat(x)/2); hat(x)^3 = -(x @ x) hat(x)
    A = hat(x)
    return ONE + (A + A @ A / 2) / (1 + x @ x / 4)


def cayley_inverse(x):  # dR tau^-1
    return ONE - hat(x) / 2 + np.outer(x, x) / 4


def power_series(x, terms):
    """The sum of terms[n] hat(x)^n: odd powers are (-(x @ x))^k hat(x), even ones (-(x @ x))^k hat(x)^2."""
    A, powers = hat(x), np.cumprod([1, *[-(x @ x)] * (len(terms) // 2 - 1)])
    return terms[0] * ONE + (terms[1::2] @ powers) * A + (terms[2::2] @ powers) * (A @ A)


FACTORIAL = np.cumprod([1.0] + [float(n) for n in range(1, 24)])  # for angles up to 1


def exponential(x):
    return power_series(x, 1 / FACTORIAL[:23])


def exponential_inverse(x):
    return np.linalg.inv(power_series(x, 1 / FACTORIAL[1:24]))


TEXT = "{tangent: 1/2 + s/5}"


def written(x):
    """The turn about x with tan(angle / 2) = (1/2 + s/5) |x|."""
    return cayley((1 + 2 / 5 * (x @ x)) * x)


def written_inverse(x):
    e = 1e-30
    turned = [vee(np.imag(written(x + 1j * e * u)) @ written(x).T / e) / 2 for u in ONE]
    return np.linalg.inv(np.array(turned).T)


MAPS = {
    "cayley": (cayley, cayley_inverse),
    "exp": (exponential, exponential_inverse),
    TEXT: (written, written_inverse),
}


class Problem:
    # inertia [k][3, 3]; mass [m]; V(R, x); constraints(R, x) -> [n]: analytic in their arguments
    def __init__(self, inertia, mass, V, constraints=None):
        self.I = np.array(inertia, dtype=float).reshape(-1, 3, 3)
        self.m, self.V = np.array(mass, dtype=float), V
        self.g = constraints or (lambda R, x: np.zeros(0))
        self.k = len(self.I)

    # derivative of f along body rotations and along x: [..., 3 k + m], by complex steps
    def slope(self, f, R, x):
        columns, e = [], 1e-30
        for b in range(self.k):
            for i in range(3):
                w = np.zeros(3)
                w[i] = 1
                S = R.astype(complex)
                S[b] = S[b] + 1j * e * (R[b] @ hat(w))
                columns.append(np.imag(f(S, x.astype(complex))) / e)
        for i in range(len(x)):
            y = x.astype(complex)
            y[i] += 1j * e
            columns.append(np.imag(f(R.astype(complex), y)) / e)
        return np.stack(columns, axis=-1)

    def flat(self, alpha, p):
        return np.concatenate([np.asarray(alpha).reshape(-1), p])

    def metric(self):  # the inverse of the mass matrix of (omega, x')
        n = 3 * self.k + len(self.m)
        W = np.zeros((n, n))
        for b in range(self.k):
            W[3 * b : 3 * b + 3, 3 * b : 3 * b + 3] = np.linalg.inv(self.I[b])
        W[3 * self.k :, 3 * self.k :] = np.diag(1 / self.m)
        return W


def jacobian(f, z, r):  # by differences from r = f(z): Newton's method needs no more
    J = np.empty((len(r), len(z)))
    for i in range(len(z)):
        d = 1e-7 * max(1, abs(z[i]))
        y = z.copy()
        y[i] += d
        J[:, i] = (f(y) - r) / d
    return J


def newton(f, z):  # the matrix is kept while the residual falls to a tenth
    best, at, last, matrix = np.inf, z, np.inf, None
    for _ in range(80):
        r = f(z)
        size = np.max(np.abs(r)) if len(r) else 0
        if size < best:
            best, at = size, z
        elif size < 1e-12:
            return at
        if matrix is None or size > max(last / 10, 1e-13):
            matrix = np.linalg.inv(jacobian(f, z, r))
        last = size
        z = z - matrix @ r
    if best > 1e-11:
        raise RuntimeError(f"no solution: {best:.2g}")
    return at


# One step of (6.4)-(6.10): forces for the parts w0 and w1 of h at the ends, one drift or two halves.
def step(P, state, h, tau, w0, w1, halves):
    retract, inverse = MAPS[tau]
    R0, a0, x0, p0 = state
    k, m, n = P.k, len(P.m), len(P.g(R0, x0))
    F0, G0 = P.slope(P.V, R0, x0), P.slope(P.g, R0, x0).reshape(n, 3 * k + m)

    def unpack(z):
        xi = z[: 3 * k * halves].reshape(halves, k, 3)
        return xi, z[3 * k * halves : 3 * k * halves + m], z[3 * k * halves + m :]

    part = h / halves

    def end(xi, u):
        R = R0.copy()
        for half in xi:
            R = np.stack([R[b] @ retract(part * half[b]) for b in range(k)]) if k else R
        return R, x0 + h * u

    def residual(z):
        xi, u, L = unpack(z)
        R1, x1 = end(xi, u)
        left = P.flat([inverse(part * xi[0][b]).T @ P.I[b] @ xi[0][b] for b in range(k)], P.m * u)
        out = [left + w0 * h * F0 + G0.T @ L - P.flat(a0, p0)]
        for b in range(k if halves == 2 else 0):
            # (dL tau^-1_x)* = (dR tau^-1_-x)*
            out.append(
                inverse(-part * xi[0][b]).T @ P.I[b] @ xi[0][b]
                - inverse(part * xi[1][b]).T @ P.I[b] @ xi[1][b]
            )
        return np.concatenate(out + [P.g(R1, x1)])

    omega = np.stack([np.linalg.solve(P.I[b], a0[b]) for b in range(k)]) if k else np.zeros((0, 3))
    z = newton(residual, np.concatenate([np.tile(omega, (halves, 1, 1)).reshape(-1), p0 / P.m, np.zeros(n)]))
    xi, u, L = unpack(z)
    R1, x1 = end(xi, u)
    F1, G1 = P.slope(P.V, R1, x1), P.slope(P.g, R1, x1).reshape(n, 3 * k + m)
    q = P.flat([inverse(-part * xi[-1][b]).T @ P.I[b] @ xi[-1][b] for b in range(k)], P.m * u) - w1 * h * F1
    W = P.metric()
    if n:
        q = q - G1.T @ np.linalg.solve(G1 @ W @ G1.T, G1 @ W @ q)
    return R1, q[: 3 * k].reshape(k, 3), x1, q[3 * k :]


def lie_euler_a(P, s, h, tau):
    return step(P, s, h, tau, 1, 0, 1)


def lie_euler_b(P, s, h, tau):
    return step(P, s, h, tau, 0, 1, 1)


def lie_lobatto(P, s, h, tau):
    return lie_euler_b(P, lie_euler_a(P, s, h / 2, tau), h / 2, tau)


def lie_rattle(P, s, h, tau):
    return step(P, s, h, tau, 0.5, 0.5, 2)


def rattlie(P, s, h, tau):
    """Hante and Arnold's: half the force at either end of one drift by the exponential map."""
    return step(P, s, h, "exp", 0.5, 0.5, 1)


def rotate(x):
    """exp(hat(x)) in closed form, for complex x too."""
    s = np.sqrt(x @ x)
    A = hat(x)
    return ONE + np.sin(s) / s * A + (1 - np.cos(s)) / s**2 * (A @ A)


def angles(R):
    """Its inverse below a quarter turn."""
    y = vee(R) / 2
    s = np.sqrt(y @ y)
    return y * (np.arcsin(s) / s)


def inside(theta):
    """From the discrete Lagrangian h L(R0 exp(theta x), x / h), exp(x) = R0'R1, differentiated by complex steps."""

    def f(P, state, h, tau):
        R0, a0, x0, p0 = state
        k, m, n = P.k, len(P.m), len(P.g(R0, x0))

        def action(R, x, S, y):
            turns = [angles(R[b].T @ S[b]) for b in range(k)]
            T = sum(w @ P.I[b] @ w for b, w in enumerate(turns)) / (2 * h) + np.sum(P.m * (y - x) ** 2) / (2 * h)
            at = np.stack([R[b] @ rotate(theta * w) for b, w in enumerate(turns)])
            return T - h * P.V(at, x + theta * (y - x))

        G0 = P.slope(P.g, R0, x0).reshape(n, 3 * k + m)

        def end(z):
            w = z[: 3 * k].reshape(k, 3)
            return np.stack([R0[b] @ rotate(h * w[b]) for b in range(k)]), x0 + h * z[3 * k : 3 * k + m]

        def residual(z):
            S, y = end(z)
            left = -P.slope(lambda R, x: action(R, x, S, y), R0, x0)
            return np.concatenate([left + G0.T @ z[3 * k + m :] - P.flat(a0, p0), P.g(S, y)])

        start = np.concatenate([np.linalg.solve(P.I[b], a0[b]) for b in range(k)])
        S, y = end(newton(residual, np.concatenate([start, p0 / P.m, np.zeros(n)])))
        q = P.slope(lambda R, x: action(R0, x0, R, x), S, y)
        G1, W = P.slope(P.g, S, y).reshape(n, 3 * k + m), P.metric()
        if n:
            q = q - G1.T @ np.linalg.solve(G1 @ W @ G1.T, G1 @ W @ q)
        return S, q[: 3 * k].reshape(k, 3), y, q[3 * k :]

    return f


def sequence_inverse(R):
    """x where R turns by x3, x2, x1 about the third, second and first axis in turn; for complex R too."""
    return np.array([np.arctan(-R[1, 2] / R[2, 2]), np.arcsin(R[0, 2]), np.arctan(-R[0, 1] / R[0, 0])])


def in_sequence(parts):
    """Drifts by these turns, a retraction that does not treat all axes alike: of a part, a letter and its fraction of h,
    "A" with the force at its left end and the turns from there, "B" with both at its right end. From the discrete
    Lagrangians, differentiated by complex steps; the points between parts are free."""

    def f(P, state, h, tau):
        R0, a0, x0, p0 = state
        k, m, n = P.k, len(P.m), len(P.g(R0, x0))
        d = 3 * k + m

        def action(part, R, x, S, y):
            kind, t = part[0], part[1] * h
            T = np.sum(P.m * (y - x) ** 2) / (2 * t)
            for b in range(k):
                w = sequence_inverse(R[b].T @ S[b]) if kind == "A" else sequence_inverse(S[b].T @ R[b])
                T = T + w @ P.I[b] @ w / (2 * t)
            return T - t * (P.V(R, x) if kind == "A" else P.V(S, y))

        G0 = P.slope(P.g, R0, x0).reshape(n, d)

        def points(z):
            found = [(R0, x0)]
            for i, (_, t) in enumerate(parts):
                w, u = z[i * d : i * d + 3 * k].reshape(k, 3), z[i * d + 3 * k : (i + 1) * d]
                R, x = found[-1]
                found.append((np.stack([R[b] @ rotate(t * h * w[b]) for b in range(k)]), x + t * h * u))
            return found

        def residual(z):
            at, out, before = points(z), [], P.flat(a0, p0) - G0.T @ z[len(parts) * d :]
            for i, part in enumerate(parts):
                (R, x), (S, y) = at[i], at[i + 1]
                out.append(before + P.slope(lambda R, x: action(part, R, x, S, y), R, x))
                before = P.slope(lambda S, y: action(part, R, x, S, y), S, y)
            return np.concatenate([*out, P.g(*at[-1])])

        start = np.concatenate([*(np.linalg.solve(P.I[b], a0[b]) for b in range(k)), p0 / P.m])
        at = points(newton(residual, np.concatenate([np.tile(start, len(parts)), np.zeros(n)])))
        (R, x), (S, y) = at[-2], at[-1]
        q = P.slope(lambda S, y: action(parts[-1], R, x, S, y), S, y)
        G1, W = P.slope(P.g, S, y).reshape(n, d), P.metric()
        if n:
            q = q - G1.T @ np.linalg.solve(G1 @ W @ G1.T, G1 @ W @ q)
        return S, q[: 3 * k].reshape(k, 3), y, q[3 * k :]

    return f


METHODS = {
    "lie-euler-a": lie_euler_a,
    "lie-euler-b": lie_euler_b,
    "lie-lobatto": lie_lobatto,
    "lie-rattle": lie_rattle,
}


def compose(base, gammas):
    def f(P, s, h, tau):
        for g in gammas:
            s = base(P, s, g * h, tau)
        return s

    return f


def run(P, method, state, h, n, tau):
    for _ in range(n):
        state = method(P, state, h, tau)
    return state


# The same in coordinates: q contains R by rows, R11 R12 .., then x; p = R hat(omega) J with J = tr(I)/2 - I.
def coordinates(P, state):
    R, a, x, p = state
    q, P_ = [], []
    for b in range(P.k):
        J = np.trace(P.I[b]) / 2 * ONE - P.I[b]
        q.append(R[b].reshape(-1))
        P_.append((R[b] @ hat(np.linalg.solve(P.I[b], a[b])) @ J).reshape(-1))
    return q, P_, x, p


def energy(P, state):
    R, a, x, p = state
    return (
        sum(a[b] @ np.linalg.solve(P.I[b], a[b]) for b in range(P.k)) / 2
        + np.sum(p * p / P.m) / 2
        + float(np.real(P.V(R, x)))
    )


# SPDX-License-Identifier: BSD-2-Clause
