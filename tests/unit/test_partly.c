// SPDX-License-Identifier: Apache-2.0
// Numbers of which only some bits are known: what is known of a result holds for each value that
// the operands may have, and what they all have in common is known where it can be.
#include "check.h"
#include "frame/partly.h"

enum { BITS = 4, VALUES = 1 << BITS, MASK = VALUES - 1 };

typedef wlk_num operation(wlk_num a, wlk_num b);
typedef uint64_t exact(uint64_t a, uint64_t b);

// What all results have in common; @p skip: an operand for which C has no result.
static wlk_num common(exact *of, wlk_num a, wlk_num b, bool skip_zero) {
    wlk_num found = {0, 0};
    bool any = false;
    for (uint64_t x = 0; x < VALUES; x++) {
        for (uint64_t y = skip_zero ? 1 : 0; y < VALUES; y++) {
            if (((x ^ a.value) & a.known) == 0 && ((y ^ b.value) & b.known) == 0) {
                const wlk_num one = wlk_num_of(of(x, y));
                found = any ? wlk_num_join(found, one) : one;
                any = true;
            }
        }
    }
    return found;
}

static bool is_sound(wlk_num found, wlk_num best) {
    const uint64_t excess = found.known & (~best.known | (found.value ^ best.value));
    return excess == 0 && (found.value & ~found.known) == 0;
}

// The bits of pairs of partly known numbers that are known, and those that might be.
static void count(operation *made, exact *of, bool skip_zero, unsigned long *known,
                  unsigned long *best) {
    *known = *best = 0;
    for (uint64_t i = 0; i < (uint64_t)VALUES * VALUES * VALUES * VALUES; i++) {
        const uint64_t ak = i % VALUES, av = i / VALUES % VALUES;
        const uint64_t bk = i / VALUES / VALUES % VALUES, bv = i / VALUES / VALUES / VALUES;
        if ((av & ~ak) != 0 || (bv & ~bk) != 0 || (skip_zero && bv == 0 && bk == MASK)) {
            continue;
        }
        const wlk_num a = {av, ak | ~(uint64_t)MASK}, b = {bv, bk | ~(uint64_t)MASK};
        const wlk_num found = made(a, b), all = common(of, a, b, skip_zero);
        if (!is_sound(found, all)) {
            CHECK_MSG(false, "%llx/%llx, %llx/%llx", (unsigned long long)a.value,
                      (unsigned long long)ak, (unsigned long long)b.value, (unsigned long long)bk);
            return;
        }
        *known += (unsigned long)__builtin_popcountll(found.known & 0xffu);
        *best += (unsigned long)__builtin_popcountll(all.known & 0xffu);
    }
}

// Is what is known all that can be, or so many of a thousand bits of it?
static void check_operation(const char *name, operation *made, exact *of, bool skip_zero,
                            unsigned long least) {
    unsigned long known, best;
    count(made, of, skip_zero, &known, &best);
    CHECK_MSG(best != 0 && known * 1000 >= best * least, "%s: %lu of %lu", name, known, best);
}

#define OPERATION(name, partly, plain)                                                             \
    static wlk_num made_##name(wlk_num a, wlk_num b) {                                             \
        (void)a, (void)b;                                                                          \
        return partly;                                                                             \
    }                                                                                              \
    static uint64_t exact_##name(uint64_t a, uint64_t b) {                                         \
        (void)a, (void)b;                                                                          \
        return plain;                                                                              \
    }

OPERATION(and, wlk_num_and(a, b), a &b)
OPERATION(or, wlk_num_or(a, b), a | b)
OPERATION(xor, wlk_num_xor(a, b), a ^ b)
OPERATION(inverse, wlk_num_inverse(a, MASK), ~a &MASK)
OPERATION(truth, wlk_num_truth(a), a != 0)
OPERATION(add, wlk_num_add(a, b, MASK), (a + b) & MASK)
OPERATION(subtract, wlk_num_subtract(a, b, MASK), (a - b) & MASK)
OPERATION(multiply, wlk_num_multiply(a, b, MASK), a *b &MASK)
OPERATION(divide, wlk_num_divide(a, b, MASK), a / b)
OPERATION(modulo, wlk_num_modulo(a, b, MASK), a % b)
OPERATION(equal, wlk_num_equal(a, b), a == b)
OPERATION(less, wlk_num_less(a, b), a < b)
OPERATION(left, wlk_num_shift(a, wlk_num_fit(b, 3), true, MASK), a << (b & 3u) & MASK)
OPERATION(right, wlk_num_shift(a, wlk_num_fit(b, 3), false, MASK), a >> (b & 3u))
OPERATION(trailing, wlk_num_trailing(b, BITS), (uint64_t)__builtin_ctzll(b))
OPERATION(leading, wlk_num_leading(b, BITS), (uint64_t)__builtin_clzll(b) - (64u - BITS))
OPERATION(ones, wlk_num_ones(a), (uint64_t)__builtin_popcountll(a))

#define ALL(name)             check_operation(#name, made_##name, exact_##name, false, 1000)
#define MOST(name, least)     check_operation(#name, made_##name, exact_##name, false, least)
#define UNLESS_0(name, least) check_operation(#name, made_##name, exact_##name, true, least)

CASE(bits_of_a_result_are_known_where_all_operands_agree) {
    ALL(and);
    ALL(or);
    ALL(xor);
    ALL(inverse);
    ALL(truth);
    ALL(add);
    ALL(subtract);
    ALL(equal);
    ALL(left);
    ALL(right);
}

CASE(bits_of_other_results_are_known_soundly) {
    MOST(multiply, 850);
    MOST(less, 950);
    MOST(ones, 990);
    UNLESS_0(divide, 900);
    UNLESS_0(modulo, 850);
    UNLESS_0(trailing, 990);
    UNLESS_0(leading, 990);
}

CASE(an_int_keeps_its_sign) {
    const uint64_t sign = UINT64_C(1) << 31;
    const wlk_num known = wlk_num_extend(wlk_num_of(sign | 5u));
    CHECK(wlk_is_known(known) && known.value == (uint64_t)(int64_t)(int32_t)(sign | 5u));
    const wlk_num open = wlk_num_extend((wlk_num){5, ~sign});
    CHECK(open.value == 5 && open.known == sign - 1u);
    CHECK(wlk_is_yes(wlk_num_less(wlk_num_ordered(wlk_num_of(sign)), wlk_num_ordered(WLK_NO))));
    CHECK(wlk_is_open(wlk_num_less(wlk_num_ordered((wlk_num){0, ~sign}), wlk_num_ordered(WLK_NO))));
    CHECK(wlk_num_unless_negative(wlk_num_of(4), WLK_YES).value == 1);
    CHECK(wlk_num_unless_negative(wlk_num_of(sign), WLK_YES).known != ~UINT64_C(0));
}

CASE(an_element_at_an_unknown_index_may_be_each) {
    wlk_num rows[4][2];
    for (uint64_t i = 0; i < 4; i++) {
        rows[i][0] = wlk_num_of(8u + i);
        rows[i][1] = WLK_NO;
    }
    const wlk_place array = wlk_place_of(rows[0], 4);
    const wlk_num odd = {1, ~UINT64_C(2)}; // 1 or 3
    const wlk_place one = wlk_place_element(array, odd, 1, 2);
    const wlk_num seen = wlk_load(one, 0xff);
    CHECK(seen.value == 9 && seen.known == ~UINT64_C(2));
    wlk_store(one, wlk_num_of(13));
    CHECK(rows[0][0].value == 8 && wlk_is_known(rows[0][0]));
    CHECK(rows[1][0].value == 9 && rows[1][0].known == ~UINT64_C(4));
    CHECK(rows[3][0].value == 9 && rows[3][0].known == ~UINT64_C(6));
    CHECK(wlk_is_known(rows[1][1]));
    // The only element that an index may name.
    wlk_store(wlk_place_element(array, (wlk_num){2, ~UINT64_C(4)}, 1, 2), wlk_num_of(7));
    CHECK(rows[2][0].value == 7 && wlk_is_known(rows[2][0]));
    // None.
    const wlk_place beyond = wlk_place_element(array, wlk_num_of(4), 1, 2);
    wlk_store(beyond, WLK_YES);
    CHECK(wlk_load(beyond, 0xff).known == ~UINT64_C(0xff));
    CHECK(wlk_region_of(one, 1).size == 7 && wlk_region_of(beyond, 1).size == 0);
}

CASE(a_decision_keeps_what_both_ways_agree_on) {
    wlk_num a[2] = {wlk_num_of(1), wlk_num_of(2)}, kept[2];
    const wlk_region r[] = {{a, 2}};
    wlk_keep(r, 1, kept);
    a[0] = wlk_num_of(5);
    wlk_exchange(r, 1, kept);
    CHECK(a[0].value == 1 && kept[0].value == 5);
    a[1] = wlk_num_of(2);
    wlk_join(r, 1, kept);
    CHECK(a[0].value == 1 && a[0].known == ~UINT64_C(4) && wlk_is_known(a[1]));
    wlk_forget(r, 1);
    CHECK(a[0].known == 0 && a[1].known == 0);
}

int main(void) {
    return check_cases();
}
