# SPDX-License-Identifier: Apache-2.0
"""What of libwarplock's headers this package uses. tests/python/test_declarations.py compiles it
against these: TYPES by sizes and places of members, CALLS as they stand, CONSTANTS by value."""

CONSTANTS = {
    "WLK_MAX_PARAMS": 32,
    "WLK_POWER_UNKNOWN": 0,
    "WLK_POWER_ZERO": 1,
    "WLK_POWER_RESET": 2,
    "WLK_NO_MEMORY": 27,
}

TYPES = """
typedef unsigned int wlk_status;
typedef unsigned int wlk_notation;
typedef unsigned int wlk_power_up;

typedef struct { wlk_status status; char text[512]; } wlk_error;

typedef struct {
    const char *name; uint32_t default_value; const uint32_t *legal; uint32_t n_legal;
    const char *const *names; bool behavioural; const char *doc; const char *list; uint32_t items;
} wlk_param;

typedef struct {
    const char *name; int16_t valid_when; bool is_out; bool is_payload; bool read; bool exact;
    bool is_registered; bool is_opaque; const char *doc; const char *array;
    const int16_t *x_hides; const char *as; wlk_notation notation;
} wlk_field;

typedef struct { char name[57]; uint16_t word; uint8_t lsb; uint8_t width; } wlk_member;
typedef struct { const wlk_member *list; uint32_t n; } wlk_members;

typedef struct {
    char name[96]; uint16_t field; uint8_t index[3]; uint8_t n_index; int16_t lane;
    uint16_t word; uint8_t lsb; uint8_t width; bool is_out; bool present;
} wlk_port;

typedef struct { uint16_t word; uint16_t words; } wlk_payload;

typedef struct {
    uint32_t in_control, out_control; uint32_t in_words, out_words;
    uint32_t n_in_payloads, n_out_payloads;
    wlk_payload in_payload[16], out_payload[16]; uint32_t n_ports;
} wlk_layout;

typedef struct { const char *name; const char *doc; } wlk_point;
typedef struct wlk_channel wlk_channel;

typedef struct {
    const char *name; const char *module; uint64_t schema_hash; uint32_t model_version;
    bool has_clock; int16_t reset; const wlk_param *params; const wlk_field *fields;
    const wlk_channel *channels; const wlk_point *rules; const wlk_point *covers;
    uint32_t n_params, n_fields, n_channels, n_rules, n_covers;
    void (*layout)(const uint32_t *, wlk_layout *);
    uint32_t (*ports)(const uint32_t *, const wlk_members *, wlk_port *, uint32_t);
    uint32_t (*cover_floor)(const uint32_t *, uint32_t);
    wlk_status (*together)(const uint32_t *, wlk_error *);
    const char *spec;
} wlk_table;

typedef struct wlk_view wlk_view;
typedef struct wlk_sight wlk_sight;
typedef struct { uint64_t events; uint32_t violated; } wlk_step_info;
typedef void wlk_state_visitor(void *, const char *, int32_t, const uint64_t *, uint32_t, uint64_t,
                               wlk_notation);

typedef struct {
    const wlk_table *table;
    wlk_status (*check)(const uint32_t *, wlk_error *);
    size_t (*state_size)(const uint32_t *);
    void (*init)(const uint32_t *, void *, wlk_power_up);
    void (*eval)(const uint32_t *, const void *, const uint64_t *, uint64_t *, uint64_t *);
    void (*tick)(const uint32_t *, void *, const uint64_t *, wlk_step_info *);
    void (*record)(const uint32_t *, void *, const uint64_t *, uint64_t *, uint64_t *,
                   wlk_step_info *);
    int (*step)(const uint32_t *, void *, const wlk_view *, const wlk_view *, wlk_step_info *);
    uint32_t (*outcomes)(const uint32_t *, const void *, const uint64_t *);
    void (*assume)(const uint32_t *, void *, const uint64_t *, uint32_t);
    void (*forget)(const uint32_t *, void *, const uint64_t *, const uint64_t *);
    void (*clear)(const uint32_t *, void *);
    bool (*drained)(const uint32_t *, const void *);
    void (*visit)(const uint32_t *, const void *, wlk_state_visitor *, void *);
    void (*late)(const uint32_t *, void *);
    void (*learn)(const uint32_t *, void *, const wlk_sight *);
    bool always_learns;
    bool joins;
    void (*tick_unknown)(const uint32_t *, void *, const uint64_t *, const uint64_t *,
                         wlk_step_info *);
} wlk_block;

typedef struct {
    const wlk_block *block; const uint32_t *cfg; size_t size; uint32_t n, room; bool left_out;
    void **states;
} wlk_candidates;

typedef struct wlk_checker wlk_checker;
typedef struct {
    const char *scope; wlk_power_up power_up; const uint64_t *compare; bool count_events;
    bool async_reset; bool late; wlk_members members;
} wlk_checker_options;
typedef struct { FILE *to; bool comma; } wlk_json;

typedef struct wlk_driver wlk_driver;
typedef struct wlk_program wlk_program;
typedef struct wlk_stimulus_state wlk_stimulus_state;
typedef struct {
    const char *block; const char *const *profiles; const void *driven;
    void (*next)(const uint32_t *, const void *, wlk_stimulus_state *, uint64_t *);
    bool (*idle)(const uint32_t *, const void *, const wlk_stimulus_state *);
    uint64_t (*still)(const wlk_stimulus_state *);
    void (*stuck)(const uint32_t *, const void *, const wlk_stimulus_state *, char *, size_t);
    bool programs;
} wlk_stimulus;
struct wlk_stimulus_state {
    uint64_t random; uint64_t cycle; uint64_t worked; uint32_t profile; uint32_t drain;
    const wlk_program *program; const wlk_driver *driver; uint64_t memory[8192];
};

typedef struct { uint32_t in_words; uint32_t out_words; } wlk_vec_shape;
typedef struct wlk_vec_writer wlk_vec_writer;
typedef struct wlk_vec_reader wlk_vec_reader;
"""

CALLS = """
const char *wlk_version(void);
const char *wlk_status_name(wlk_status);

const char *wlk_block_name(uint32_t);
const wlk_block *wlk_blocks_find(const char *);
wlk_status wlk_blocks_load(const char *, wlk_error *);
void wlk_config_defaults(const wlk_table *, uint32_t *);
wlk_status wlk_config_set(const wlk_table *, uint32_t *, const char *, const char *, wlk_error *);
wlk_status wlk_members_parse(const char *, wlk_member *, uint32_t, uint32_t *, wlk_error *);

void *wlk_state_new(const wlk_block *, const uint32_t *);
wlk_status wlk_candidates_open(wlk_candidates *, const wlk_block *, const uint32_t *);
void wlk_candidates_close(wlk_candidates *);
void wlk_candidates_init(wlk_candidates *, wlk_power_up);
bool wlk_candidates_take(wlk_candidates *, const void *, uint32_t);
void wlk_candidates_fork(wlk_candidates *, const uint64_t *);
void wlk_candidates_tick(wlk_candidates *, const uint64_t *, wlk_step_info *);
void wlk_candidates_record(wlk_candidates *, const uint64_t *, uint64_t *, uint64_t *, uint32_t,
                           uint64_t *, wlk_step_info *);
void wlk_candidates_run(wlk_candidates *, const wlk_layout *, uint64_t, const uint64_t *,
                        uint64_t *, uint64_t *, uint32_t *, uint64_t *);

wlk_status wlk_checker_open(wlk_checker **, const wlk_block *, const uint32_t *,
                            const wlk_checker_options *, wlk_error *);
void wlk_checker_close(wlk_checker *);
int wlk_checker_step_x(wlk_checker *, const uint64_t *, const uint64_t *, const uint64_t *,
                       const uint64_t *);
bool wlk_checker_done(const wlk_checker *);
void wlk_checker_report(const wlk_checker *, FILE *);
void wlk_checker_json(const wlk_checker *, bool, wlk_json *);
void wlk_json_open(wlk_json *, const char *, char);
void wlk_json_close(wlk_json *, char);

const wlk_stimulus *wlk_stimulus_find(const char *);
bool wlk_stimulus_profile(const wlk_stimulus *, const char *, uint32_t *);
void wlk_stimulus_init(wlk_stimulus_state *, uint64_t, uint32_t);
void wlk_stimulus_next(const wlk_stimulus *, const uint32_t *, const void *, wlk_stimulus_state *,
                       uint64_t *);
wlk_status wlk_driver_open(wlk_driver **, const wlk_block *, const uint32_t *, wlk_error *);
void wlk_driver_close(wlk_driver *);

wlk_status wlk_vec_create(wlk_vec_writer **, const char *, const wlk_vec_shape *, const char *,
                          bool, wlk_error *);
wlk_status wlk_vec_write(wlk_vec_writer *, const uint64_t *, const uint64_t *, const uint64_t *,
                         wlk_error *);
wlk_status wlk_vec_finish(wlk_vec_writer *, wlk_error *);
void wlk_vec_abort(wlk_vec_writer *);
wlk_status wlk_vec_open(wlk_vec_reader **, const char *, wlk_error *);
const char *wlk_vec_header(const wlk_vec_reader *);
wlk_vec_shape wlk_vec_get_shape(const wlk_vec_reader *);
uint64_t wlk_vec_cycles(const wlk_vec_reader *);
wlk_status wlk_vec_read(wlk_vec_reader *, const uint64_t **, const uint64_t **, const uint64_t **,
                        wlk_error *);
wlk_status wlk_vec_seek(wlk_vec_reader *, uint64_t, wlk_error *);
void wlk_vec_close(wlk_vec_reader *);
"""

# Of the C library.
SYSTEM = """
FILE *open_memstream(char **, size_t *);
int fclose(FILE *);
void free(void *);
"""
