/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a part (part.h). */
#undef care_t
#undef in_t
#undef out_t
#undef state_t
#undef cycle
#undef see
#undef outputs
#undef edge
#undef clear
#undef broken
#undef events
#undef drained
#undef forgets
#undef show
#undef learn
#undef learn_next
#undef learn_by_next
#undef learn_rows
#undef note_rows
#undef follow
#undef SHOW
#undef SHOW_WORDS
#undef SHOW_ROW
#undef SHOW_SET
#undef IN_SET
#undef WLK_STRUCTS_MODEL
#undef MODEL
#undef MODEL_CAPS
#undef CYCLE
#undef PART
#undef WLK_UNKNOWNS
#undef WLK_FOLLOWS

#pragma GCC diagnostic pop
