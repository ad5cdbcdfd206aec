// SPDX-License-Identifier: Apache-2.0
/* Reader of VCD: every form of IEEE 1800-2017, 21.7.2, and what is none of them. */
#define _GNU_SOURCE /* open_memstream */
#include "check.h"
#include "scratch.h"
#include "warplock/wave.h"

#define DEFINITIONS                                                                                \
    "$timescale 1ns $end\n$scope module t $end\n$var wire 1 ! a $end\n"                            \
    "$var wire 8 \" v [7:0] $end\n$var real 64 # r $end\n$var wire 3 $ w $end\n"                   \
    "$var string 1 % s $end\n$upscope $end\n$enddefinitions $end\n"
enum { FIRST_LINE = 10, LONGEST = 4096 };

static wlk_error error;

/* The waveform as wlk_wave_copy() writes it, to be freed; NULL: `error` says why not. */
static char *copy_of(const char *text) {
    wlk_wave *wave = NULL;
    char *copy = NULL;
    size_t size = 0;
    error = (wlk_error){.status = WLK_OK};
    wlk_status status = wlk_wave_open(&wave, scratch_text("case.vcd", text), "case.vcd", &error);
    if (status == WLK_OK) {
        FILE *to = open_memstream(&copy, &size);
        status = wlk_wave_copy(wave, to, &error);
        (void)fclose(to);
    }
    CHECK((status == WLK_OK) == (error.status == WLK_OK));
    wlk_wave_close(wave);
    if (status != WLK_OK) {
        free(copy);
        return NULL;
    }
    return copy;
}

/* The changes alone. */
static char *changes_of(const char *text) {
    char *copy = copy_of(text);
    const char *body = copy != NULL ? strstr(copy, "$enddefinitions $end\n") : NULL;
    char *changes = body != NULL ? strdup(strchr(body, '\n') + 1) : NULL;
    free(copy);
    return changes;
}

/* ---- changes --------------------------------------------------------------------------------- */

static const struct {
    const char *what, *body, *changes;
} legal[] = {
    {"one a line", "#0\n0!\nb101 \"\n#5\n1!\n", "#0\n0!\nb101 \"\n#5\n1!\n"},
    {"all on one line", "#0 0! b101 \" #5 1!\n", "#0\n0!\nb101 \"\n#5\n1!\n"},
    {"tabs, form feeds, blanks", "\t#0 \f\f0!\t\tb101\t\"  \n \n#5\f1! \t\n",
     "#0\n0!\nb101 \"\n#5\n1!\n"},
    {"carriage returns", "#0\r\n0!\r\nb101 \"\r\n#5\r\n1!\r\n", "#0\n0!\nb101 \"\n#5\n1!\n"},
    {"a value and its code apart", "#0\nb101\n\n\"\n", "#0\nb101 \"\n"},
    {"no newline at the end", "#0\n0!\n#5\n1!", "#0\n0!\n#5\n1!\n"},
    {"a comment that looks like changes", "#0\n0!\n$comment\n#999 1! b111 \" $dumpoff\n$end\n1!\n",
     "#0\n0!\n1!\n"},
    {"a comment in a dump of all", "#0 $dumpvars 0! $comment 1! $end b1 \" $end #1 1!",
     "#0\n0!\nb1 \"\n#1\n1!\n"},
    {"an empty comment", "#0 $comment $end 0!", "#0\n0!\n"},
    {"commands that hold changes",
     "$dumpvars x! $end #1 $dumpoff x! bx \" $end #2 $dumpon 1! b1 \" $end #3 $dumpall 1! $end",
     "#0\nx!\n#1\nx!\nbx \"\n#2\n1!\nb1 \"\n#3\n1!\n"},
    {"a command without its end", "#0\n$dumpvars\n0!\n#1\n1!\n", "#0\n0!\n#1\n1!\n"},
    {"a time inside a command", "$dumpvars #0 0! $end #1 1!", "#0\n0!\n#1\n1!\n"},
    {"changes before the first time", "0! #7 1!", "#0\n0!\n#7\n1!\n"},
    {"a time again", "#3 0! #3 1! #4", "#3\n0!\n1!\n"},
    {"times of some tools", "#3.0 0! #4.00 1! #5. 0!", "#3\n0!\n#4\n1!\n#5\n0!\n"},
    {"upper case", "#0 X! Z! B1XZ \" BX \" R1.5 # SIDLE %", "#0\nX!\nZ!\nb1XZ \"\nbX \"\n"},
    {"reals and strings", "#0 r1e-3 # r # s % sa\\x20b % 1!", "#0\n1!\n"},
    {"a vector that is a scalar", "#0 b1 ! bx !", "#0\n1!\nx!\n"},
    {"a scalar that is a vector", "#0 1\" x\"", "#0\nb1 \"\nbx \"\n"},
    {"levels of VHDL", "#0 u! w! l! h! -! U! W! L! H! bUWLH- \"",
     "#0\nu!\nw!\nl!\nh!\n-!\nU!\nW!\nL!\nH!\nbUWLH- \"\n"},
    {"the latest time", "#18446744073709551614 1!", "#18446744073709551614\n1!\n"},
};

CASE(vcd_takes_every_form) {
    char text[LONGEST];
    for (size_t i = 0; i < COUNT(legal); i++) {
        (void)snprintf(text, sizeof text, "%s%s", DEFINITIONS, legal[i].body);
        char *changes = changes_of(text);
        CHECK_MSG(changes != NULL && strcmp(changes, legal[i].changes) == 0, "%s: %s",
                  legal[i].what, changes != NULL ? changes : error.text);
        free(changes);
    }
}

/* ---- definitions ----------------------------------------------------------------------------- */

static const struct {
    const char *var, *leaf;
    uint32_t width;
    int32_t lsb;
    bool ascending;
} variables[] = {
    {"wire 8 ! data [7:0]", "data", 8, 0, false},
    {"wire 8 ! data[7:0]", "data", 8, 0, false},
    {"wire 8 ! data [ 7 : 0 ]", "data", 8, 0, false},
    {"wire 8 ! data [7 :0]", "data", 8, 0, false},
    {"reg\n8\n!\ndata\n[7:0]\n", "data", 8, 0, false},
    {"wire 8 ! data [0:7]", "data", 8, 0, true},
    {"wire 8 ! data [-1:-8]", "data", 8, -8, false},
    {"wire 8 ! data [ -8 : -1 ]", "data", 8, -8, true},
    {"wire 8 ! data [11:4]", "data", 8, 4, false},
    {"wire 1 ! data [3]", "data", 1, 3, false},
    {"wire 1 ! data[3]", "data", 1, 3, false},
    {"wire 8 ! mem[3] [7:0]", "mem[3]", 8, 0, false},
    {"wire 8 ! mem [3] [7:0]", "mem [3]", 8, 0, false},
    {"wire 8 ! data", "data", 8, 0, false},
    {"wire 1 ! \\esc[2]", "esc[2]", 1, 0, false},
    {"wire 4 ! \\a+[b [3:0]", "a+[b", 4, 0, false},
    {"integer 32 ! i", "i", 32, 0, false},
    {"parameter 32 ! P", "P", 32, 0, false},
    {"time 64 ! t", "t", 64, 0, false},
    {"supply0 1 ! gnd", "gnd", 1, 0, false},
    {"a_new_kind 2 ! k", "k", 2, 0, false},
    {"port 2 ! k", "k", 2, 0, false},
    {"wire 1 $end looks_like_a_keyword", "looks_like_a_keyword", 1, 0, false},
    {"wire 1 #10 looks_like_a_time", "looks_like_a_time", 1, 0, false},
    {"wire 1 b1 looks_like_a_value", "looks_like_a_value", 1, 0, false},
    {"wire 1 an_identifier_code_that_is_long x", "x", 1, 0, false},
    {"wire 1 \xc3\xa9 x", "x", 1, 0, false},
};

/* The only signal of a text. */
static wlk_wave_signal only_signal(const char *text) {
    wlk_wave *wave = NULL;
    size_t count = 0;
    wlk_wave_signal found = {.leaf = ""};
    const wlk_status status =
        wlk_wave_open(&wave, scratch_text("case.vcd", text), "case.vcd", &error);
    if (CHECK_MSG(status == WLK_OK, "%s: %s", text, error.text)) {
        const wlk_wave_signal *all = wlk_wave_signals(wave, &count);
        CHECK_MSG(count == 1, "%s: %zu", text, count);
        found = count > 0 ? all[0] : found;
        found.leaf = strdup(found.leaf);
    }
    wlk_wave_close(wave);
    return found;
}

CASE(vcd_takes_every_variable) {
    char text[LONGEST];
    for (size_t i = 0; i < COUNT(variables); i++) {
        (void)snprintf(text, sizeof text,
                       "$scope module t $end $var %s $end $enddefinitions $end #0",
                       variables[i].var);
        const wlk_wave_signal s = only_signal(text);
        CHECK_MSG(strcmp(s.leaf, variables[i].leaf) == 0 && s.width == variables[i].width &&
                      s.lsb == variables[i].lsb && s.ascending == variables[i].ascending,
                  "%s: %s, %u bits, lsb %d", variables[i].var, s.leaf, s.width, s.lsb);
        free((void *)(uintptr_t)s.leaf);
    }
}

/* A code is found whatever it looks like. */
CASE(vcd_finds_every_code) {
    char *changes =
        changes_of("$var wire 1 $end a $end $var wire 4 #10 b $end $var wire 1 b1 c $end "
                   "$var wire 1 1 d $end $enddefinitions $end\n"
                   "#0 1$end b1 #10 0#10 1b1 b1 b1 11 b0 $end #11 01");
    CHECK_MSG(changes != NULL &&
                  strcmp(changes, "#0\n1$\nb1 #\nb0 #\n1\"\n1\"\n1!\n0$\n#11\n0!\n") == 0,
              "%s", changes != NULL ? changes : error.text);
    free(changes);
}

static const struct {
    const char *what, *text;
    int exponent;
} headers[] = {
    {"nothing", "", -9},
    {"anything in a date", "$date #999 $var 0! \n$scope-1 $end $timescale 1ps $end", -12},
    {"a version", "$version\n\tTool (1.0) $Revision: 1 $ \n$end\n$timescale\n10 ps\n$end", -11},
    {"an unknown command", "$attrbegin misc 02 STD_LOGIC 1031 $end $timescale 100fs $end", -13},
    {"a unit apart", "$timescale 1\n\ts\n$end", 0},
    {"a comment", "$comment\n$timescale 1ps $end $timescale 1us $end", -6},
    {"kinds of scopes",
     "$scope struct s $end $scope no_such_kind k $end $upscope $end $upscope $end", -9},
    {"a scope without a name", "$scope begin $end $upscope $end", -9},
    {"a missing $upscope", "$scope module m $end $scope module n $end", -9},
};

CASE(vcd_takes_every_header) {
    char text[LONGEST];
    for (size_t i = 0; i < COUNT(headers); i++) {
        wlk_wave *wave = NULL;
        (void)snprintf(text, sizeof text, "%s $var wire 1 ! a $end $enddefinitions $end #0 1!\n",
                       headers[i].text);
        const wlk_status status =
            wlk_wave_open(&wave, scratch_text("case.vcd", text), "case.vcd", &error);
        CHECK_MSG(status == WLK_OK && wlk_wave_exponent(wave) == headers[i].exponent, "%s: %s",
                  headers[i].what, status != WLK_OK ? error.text : "another unit");
        wlk_wave_close(wave);
    }
}

/* Scopes may be opened again, a variable may be declared again with the same code. */
CASE(vcd_scope_again_is_one_scope) {
    wlk_wave *wave = NULL;
    size_t count = 0;
    const char *text = "$scope module t $end $var wire 1 ! a $end $upscope $end\n"
                       "$scope module t $end $var wire 1 ! a $end $var wire 1 \" b $end $end\n";
    CHECK(copy_of(text) == NULL); /* an $end too many */
    text = "$scope module t $end $var wire 1 ! a $end $upscope $end\n"
           "$scope module t $end $var wire 1 ! a $end $var wire 1 \" b $end $upscope $end\n"
           "$enddefinitions $end #0 1!\n";
    REQUIRE(wlk_wave_open(&wave, scratch_text("case.vcd", text), NULL, &error) == WLK_OK, "%s",
            error.text);
    CHECK(wlk_wave_scopes(wave, &count) != NULL && count == 2);
    CHECK(wlk_wave_signals(wave, &count) != NULL && count == 2);
    CHECK(wlk_wave_require_once(wave, 0, &error) == WLK_OK);
    wlk_wave_close(wave);
}

CASE(vcd_variable_again_is_refused_where_it_is_used) {
    wlk_wave *wave = NULL;
    uint64_t value = 0;
    const char *text = "$scope module t $end\n$var wire 1 ! a $end\n$upscope $end\n"
                       "$scope module t $end\n$var wire 2 \" a $end\n$var wire 1 # b $end\n"
                       "$upscope $end $enddefinitions $end #0 1!\n";
    REQUIRE(wlk_wave_open(&wave, scratch_text("case.vcd", text), "case.vcd", &error) == WLK_OK,
            "%s", error.text);
    const size_t t = wlk_wave_find_scope(wave, "t");
    CHECK(wlk_wave_bind_signal(wave, WLK_WAVE_NO_SAMPLER, t, "b", 1, &value, NULL, 0, &error) == 0);
    CHECK(wlk_wave_bind_signal(wave, WLK_WAVE_NO_SAMPLER, t, "a", 1, &value, NULL, 0, &error) ==
          WLK_CORRUPT);
    CHECK_MSG(strstr(error.text, "case.vcd:5: t.a is declared twice") != NULL &&
                  strstr(error.text, "first in line 2") != NULL,
              "%s", error.text);
    CHECK(wlk_wave_bind_slice(wave, WLK_WAVE_NO_SAMPLER, t, "a", 0, 1, &value, NULL, 0, &error) ==
          WLK_CORRUPT);
    wlk_wave_close(wave);
}

/* ---- what is refused ------------------------------------------------------------------------- */

typedef struct refusal {
    const char *text;
    wlk_status status;
    unsigned line; /* of the text, from 1 */
    const char *part;
} refusal;

static const refusal bad_bodies[] = {
    {"#0 0!\n1\n", WLK_CORRUPT, 2, "expected an identifier code right after the value, found '1'"},
    {"#0\n1 !\n", WLK_CORRUPT, 2, "right after the value"},
    {"#0\n\n0&\n", WLK_CORRUPT, 3, "no $var has the identifier code '&'"},
    {"#0\n0!!\n", WLK_CORRUPT, 2, "no $var has the identifier code '!!'"},
    {"#0\nb1021 \"\n", WLK_CORRUPT, 2, "expected a binary value, found 'b1021'"},
    {"#0\nb000000001 \"\n", WLK_CORRUPT, 2, "a value of 9 bits for '\"', which has 8"},
    {"#0\nb\n\"\n", WLK_CORRUPT, 3, "a value of no bits for '\"'"},
    {"#0\nr1.5 !\n", WLK_CORRUPT, 2, "a real or a string for '!', which has bits"},
    {"#0\nsIDLE\n\"\n", WLK_CORRUPT, 3, "a real or a string for '\"'"},
    {"#5 0!\n#4 1!\n", WLK_CORRUPT, 2, "time goes back from 5 to 4"},
    {"#-1 0!\n", WLK_CORRUPT, 1, "expected a whole number after '#', found '#-1'"},
    {"#1.5 0!\n", WLK_CORRUPT, 1, "found '#1.5'"},
    {"# 5\n", WLK_CORRUPT, 1, "found '#'"},
    {"#18446744073709551615 0!", WLK_CORRUPT, 1, "found '#18446744073709551615'"},
    {"#0\nquick\n", WLK_CORRUPT, 2, "expected a time or a value change, found 'quick'"},
    {"#0\n$end\n", WLK_CORRUPT, 2, "$end without a command"},
    {"#0\n$new 1! $end\n", WLK_CORRUPT, 2, "or a command of VCD, found '$new'"},
    {"#0\n0\x01!\n", WLK_CORRUPT, 2, "byte 0x01"},
    {"#0\v0!\n", WLK_CORRUPT, 1, "byte 0x0b, which is neither printable nor white space"},
    {"#0\n$comment text$end\n1!\n", WLK_CORRUPT, 2, "write white space before $end"},
    {"#0 1!\n$date today $end\n", WLK_CORRUPT, 2, "a second dump begins here"},
    {"#0 1!\n\n$scope module t $end\n", WLK_CORRUPT, 3, "$scope after $enddefinitions"},
    {"#0\n$dumpports 1! $end\n", WLK_CORRUPT, 2, "extended VCD ($dumpports)"},
    {"#0\n$dumpportsall\n", WLK_CORRUPT, 2, "dump with $dumpvars"},
    {"", WLK_TRUNCATED, 0, "ends after its definitions"},
    {"#0\n1", WLK_TRUNCATED, 2, "ends inside '1'"},
    {"#0\nb101", WLK_TRUNCATED, 2, "ends inside 'b101'"},
    {"#0\nb101 \n\n", WLK_TRUNCATED, 2, "ends inside 'b101'"},
    {"#0\nr1.5\n", WLK_TRUNCATED, 2, "ends inside 'r1.5'"},
    {"#10 1!\n#1", WLK_TRUNCATED, 2, "ends inside '#1'"},
    {"#0 1!\n#", WLK_TRUNCATED, 2, "ends inside '#'"},
    {"#0 1!\n$dumpo", WLK_TRUNCATED, 2, "ends inside '$dumpo'"},
    {"#0\n$dumpvars 1!\n", WLK_TRUNCATED, 0, "ends inside $dumpvars"},
    {"#0\n$comment\n1!\n", WLK_TRUNCATED, 0, "ends inside $comment of line 11"},
};

#define END "$enddefinitions $end #0"
static const refusal bad_headers[] = {
    {"$var wire 1 ! a $end\n#0\n1!\n", WLK_CORRUPT, 2, "or $enddefinitions, found '#0'"},
    {"$var wire 1 ! a $end\n$dumpvars 1! $end\n", WLK_CORRUPT, 2, "found '$dumpvars'"},
    {"$var wire 1 ! a\n$var wire 1 \" b $end " END, WLK_CORRUPT, 2,
     "$var has no $end before '$var'"},
    {"$scope module t\n$var wire 1 \" b $end " END, WLK_CORRUPT, 2, "$scope has no $end"},
    {"\n$scope $end " END, WLK_CORRUPT, 2, "expected the kind of a scope"},
    {"$upscope $end " END, WLK_CORRUPT, 1, "where no scope is open"},
    {"$scope module t $end $upscope t $end " END, WLK_CORRUPT, 1, "expected $end, found 't'"},
    {"$var wire x ! a $end " END, WLK_CORRUPT, 1, "expected the size of a variable"},
    {"$var wire 67108865 ! a $end " END, WLK_CORRUPT, 1, "at most 2^26 bits, found '67108865'"},
    {"$var wire 1 ! $end " END, WLK_CORRUPT, 1, "expected the name of a variable"},
    {"$var wire 1 ! a $end*$var wire 1 \" b $end " END, WLK_CORRUPT, 1,
     "expected a range or $end, found '$end*$var'"},
    {"$scope module t u $end " END, WLK_CORRUPT, 1, "expected a range or $end, found 'u'"},
    {"$var wire 8 ! a $end\n$var wire 4 ! b $end " END, WLK_CORRUPT, 2,
     "'!' is that of a variable of another size or type in line 1"},
    {"$var wire 8 ! a $end\n$var real 8 ! b $end " END, WLK_CORRUPT, 2, "another size or type"},
    {"$timescale 5 ns $end " END, WLK_CORRUPT, 1, "$timescale '5 ns' is not 1, 10 or 100"},
    {"$timescale 1 week $end " END, WLK_CORRUPT, 1, "$timescale '1 week'"},
    {"$var port 1 <0 a $end " END, WLK_CORRUPT, 1, "extended VCD ($dumpports)"},
    {"$var port [3:0] <0 a $end " END, WLK_CORRUPT, 1, "dump with $dumpvars"},
    {"$date today$end\n$var wire 1 ! a $end " END, WLK_CORRUPT, 1, "write white space before $end"},
    {"$date today\n", WLK_TRUNCATED, 0, "ends inside $date of line 1"},
    {"$var wire 1 ! a $end\n", WLK_TRUNCATED, 0, "ends before $enddefinitions"},
    {"$enddefinitions", WLK_TRUNCATED, 0, "ends before $enddefinitions"},
    {"\xff$date", WLK_CORRUPT, 0, "neither FST nor VCD"},
    {" \n", WLK_CORRUPT, 0, "neither FST nor VCD"},
};

static void check_refusal(const refusal *bad, const char *head, unsigned lines_before) {
    char text[LONGEST], where[32] = "";
    (void)snprintf(text, sizeof text, "%s%s", head, bad->text);
    char *copy = copy_of(text);
    if (bad->line != 0) {
        (void)snprintf(where, sizeof where, "case.vcd:%u: ", bad->line + lines_before);
    }
    CHECK_MSG(copy == NULL && error.status == bad->status && strstr(error.text, where) != NULL &&
                  strstr(error.text, bad->part) != NULL && strstr(error.text, "FST:") == NULL,
              "%s -> %s", bad->text, copy != NULL ? "taken" : error.text);
    free(copy);
}

CASE(vcd_refuses_with_the_line) {
    for (size_t i = 0; i < COUNT(bad_bodies); i++) {
        check_refusal(&bad_bodies[i], DEFINITIONS, FIRST_LINE - 1);
    }
    for (size_t i = 0; i < COUNT(bad_headers); i++) {
        check_refusal(&bad_headers[i], "", 0);
    }
}

/* A file that is cut anywhere ends too early or is shorter; it is never called damaged. */
CASE(vcd_cut_anywhere_is_truncated) {
    static const char whole[] =
        "$date today $end\n$timescale 1ns $end\n$scope module t $end\n$var wire 1 !! a $end\n"
        "$var wire 8 \"# v [7:0] $end\n$var real 64 ## r $end\n$upscope $end\n"
        "$enddefinitions $end\n#10\n$dumpvars\n0!!\nb101 \"#\nr1.5 ##\n$end\n$comment 0! $end\n"
        "#20\n1!!\nbx \"#\n#105\n$dumpoff\nx!!\n$end\n";
    size_t refused = 0;
    for (size_t at = 1; at < sizeof whole; at++) {
        char text[sizeof whole];
        (void)snprintf(text, at + 1, "%s", whole);
        char *copy = copy_of(text);
        refused += copy == NULL;
        CHECK_MSG(copy != NULL || error.status == WLK_TRUNCATED, "cut at %zu: %s", at, error.text);
        free(copy);
    }
    CHECK_MSG(refused > 200 && refused < sizeof whole - 10, "%zu", refused);
}

/* ---- parts of the file at a time ------------------------------------------------------------- */

/* Values much longer than what is read at a time, white space too, and the same at every offset. */
CASE(vcd_is_read_in_parts) {
    enum { WIDE = 700000, BLANKS = 600000 };
    char *text = malloc(2 * WIDE + BLANKS + LONGEST), *first = NULL;
    for (size_t shift = 0; shift < 20; shift++) {
        size_t n = (size_t)sprintf(text,
                                   "$var wire %d ! wide $end $var wire 1 \" a $end "
                                   "$enddefinitions $end\n#1 b",
                                   WIDE);
        for (size_t i = 0; i < WIDE; i++) {
            text[n++] = "01xz"[i * i % 7 % 4];
        }
        memset(text + n, ' ', BLANKS + shift * 13107);
        n += BLANKS + shift * 13107;
        (void)strcpy(text + n, "!\n#2 1\" b1 ! 0\"\n");
        char *copy = copy_of(text);
        CHECK_MSG(copy != NULL && strlen(copy) > WIDE, "%s", error.text);
        CHECK(first == NULL || copy == NULL || strcmp(first, copy) == 0);
        first = first == NULL ? copy : first;
        if (copy != first) {
            free(copy);
        }
    }
    free(first);
    free(text);
}

/* Codes that are counted up are a table, others are searched; both find each, and no other one. */
CASE(vcd_codes_far_apart_are_found) {
    enum { CODES = 3000 };
    char *text = malloc(CODES * 64), code[16];
    for (int spread = 1; spread <= 100000; spread *= 317) {
        size_t n = 0;
        for (int i = 0; i < CODES; i++) {
            (void)snprintf(code, sizeof code, "%x", 16 + i * spread);
            n += (size_t)sprintf(text + n, "$var wire 32 %s s%d $end\n", code, i);
        }
        n += (size_t)sprintf(text + n, "$enddefinitions $end\n#1\n");
        const size_t body = n;
        for (int i = 0; i < CODES; i++) {
            n += (size_t)sprintf(text + n, "b1 %x\n", 16 + i * spread);
        }
        char *changes = changes_of(text);
        size_t lines = 0;
        for (const char *at = changes; at != NULL && *at != '\0'; at++) {
            lines += *at == '\n';
        }
        CHECK_MSG(lines == CODES + 1, "%zu: %s", lines, error.text);
        free(changes);
        (void)strcpy(text + body, "b1 f\n");
        CHECK(changes_of(text) == NULL && strstr(error.text, "identifier code 'f'") != NULL);
    }
    free(text);
}

/* ---- values as they are sampled -------------------------------------------------------------- */

static int ignore(void *ctx, uint64_t time, uint64_t sample) {
    (void)ctx;
    (void)time;
    (void)sample;
    return WLK_WAVE_CONTINUE;
}

static const struct {
    const char *value;
    uint64_t bits[2], x[2]; /* of 80 */
} shorter[] = {
    {"b0", {0, 0}, {0, 0}},
    {"b1", {1, 0}, {0, 0}},
    {"b101", {5, 0}, {0, 0}},
    {"b01x", {2, 0}, {1, 0}},
    {"bx", {0, 0}, {~UINT64_C(0), 0xffff}},
    {"bz1", {1, 0}, {~UINT64_C(1), 0xffff}},
    {"bZ", {0, 0}, {~UINT64_C(0), 0xffff}},
    {"bh", {1, 0}, {0, 0}},
    {"bl", {0, 0}, {0, 0}},
    {"x", {0, 0}, {~UINT64_C(0), 0xffff}},
    {"1", {1, 0}, {0, 0}},
    {"bx0000000000000000000000000000000000000000000000000000000000000001", {1, 0}, {0, 0xffff}},
    {"b10000000000000000000000000000000000000000000000000000000000000001", {1, 1}, {0, 0}},
};

/* A value that is shorter than its signal is extended by 0, or by its first level if that is x or
 * z. */
CASE(vcd_short_values_are_extended) {
    char text[LONGEST];
    for (size_t i = 0; i < COUNT(shorter); i++) {
        wlk_wave *wave = NULL;
        uint64_t bits[2] = {7, 7}, x[2] = {7, 7}, part = 7, part_x = 7;
        uint32_t sampler = 0;
        (void)snprintf(text, sizeof text,
                       "$scope module t $end $var wire 80 ! v $end $upscope $end $enddefinitions "
                       "$end #0 %s%s! #1",
                       shorter[i].value, shorter[i].value[0] == 'b' ? " " : "");
        REQUIRE(wlk_wave_open(&wave, scratch_text("case.vcd", text), NULL, &error) == WLK_OK, "%s",
                error.text);
        const size_t t = wlk_wave_find_scope(wave, "t");
        CHECK(wlk_wave_add_sampler(wave, WLK_WAVE_NO_CLOCK, ignore, NULL, &sampler, &error) == 0);
        CHECK(wlk_wave_bind_signal(wave, sampler, t, "v", 80, bits, x, 0, &error) == WLK_OK);
        CHECK(wlk_wave_bind_slice(wave, sampler, t, "v", 60, 8, &part, &part_x, 0, &error) ==
              WLK_OK);
        CHECK_MSG(wlk_wave_run(wave, &error) == WLK_OK, "%s", error.text);
        CHECK_MSG(bits[0] == shorter[i].bits[0] && x[0] == shorter[i].x[0], "%s", shorter[i].value);
        CHECK_MSG((bits[1] & 0xffff) == shorter[i].bits[1] && (x[1] & 0xffff) == shorter[i].x[1],
                  "%s", shorter[i].value);
        CHECK_MSG((part & 0xff) == ((bits[0] >> 60 | bits[1] << 4) & 0xff) &&
                      (part_x & 0xff) == ((x[0] >> 60 | x[1] << 4) & 0xff),
                  "%s", shorter[i].value);
        wlk_wave_close(wave);
    }
}

/* While a dump is off the clock is X, whether it says so or not, and the first such time is known.
 */
CASE(vcd_gap_has_a_time) {
    static const char *const texts[] = {"#10 $dumpoff x! $end #50 $dumpon 0! $end",
                                        "#10 $dumpoff $end #50 $dumpon 0! $end", "#10 x! #50 0!"};
    char text[LONGEST];
    for (size_t i = 0; i < COUNT(texts); i++) {
        wlk_wave *wave = NULL;
        uint64_t samples = 0;
        uint32_t sampler = 0;
        (void)snprintf(text, sizeof text, "%s#0 0! #5 1! %s #55 1! #60 0! #70 x! #75 0! #80 1!\n",
                       DEFINITIONS, texts[i]);
        REQUIRE(wlk_wave_open(&wave, scratch_text("case.vcd", text), NULL, &error) == WLK_OK, "%s",
                error.text);
        size_t count = 0;
        const size_t clock = wlk_wave_find_path(wave, "t.a");
        CHECK(wlk_wave_add_sampler(wave, wlk_wave_signals(wave, &count)[clock].handle, ignore,
                                   &samples, &sampler, &error) == WLK_OK);
        CHECK(wlk_wave_get_gaps(wave, sampler).count == 0);
        CHECK_MSG(wlk_wave_run(wave, &error) == WLK_OK, "%s", error.text);
        const wlk_wave_gaps gaps = wlk_wave_get_gaps(wave, sampler);
        CHECK_MSG(gaps.count == 2 && gaps.first == 10, "%s: %d", texts[i], (int)gaps.count);
        wlk_wave_close(wave);
    }
}

int main(void) {
    return check_cases();
}
