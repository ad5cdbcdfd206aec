/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_gpgpusim_record.hpp
 * Recording and statistics of the classes of opndcoll_gpgpusim.hpp. They need libwarplock_check
 * beside libwarplock. What is recorded, and the variables of the environment that ask for it:
 * opndcoll_record.h.
 */
#ifndef WARPLOCK_OPNDCOLL_GPGPUSIM_RECORD_HPP
#define WARPLOCK_OPNDCOLL_GPGPUSIM_RECORD_HPP

#include "warplock/opndcoll_gpgpusim_traits.hpp"
#include "warplock/opndcoll_record.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace warplock {

/** What record_to() asks for; the same as wlk_opndcoll_record_options. */
struct opndcoll_recording {
    std::string stem;    /**< of the recording's files; empty: no recording */
    std::string summary; /**< stem of the statistics' file; empty: none is written */
    bool counts;         /**< statistics for summary() */
    bool state;          /**< the events have the state after each step */
    std::uint64_t first; /**< core cycle at which the window begins */
    std::uint64_t last;  /**< last core cycle of the window */

    /** Record all of the simulation. */
    explicit opndcoll_recording(const std::string &to = "")
        : stem(to), counts(false), state(false), first(0), last(UINT64_MAX) {}
};

namespace detail {

class recorder;

/** Those that are open. They are closed at exit(): simulators end without destroying their cores.
 */
class open_recorders {
  public:
    static void add(recorder *one) {
        const std::lock_guard<std::mutex> lock(get().mutex_);
        get().all_.insert(one);
    }
    static void remove(recorder *one) {
        const std::lock_guard<std::mutex> lock(get().mutex_);
        get().all_.erase(one);
    }

  private:
    open_recorders() {
        (void)std::atexit(close_all);
    }
    // Never destroyed, as an object may outlive all others.
    static open_recorders &get() {
        static open_recorders *const only = new open_recorders();
        return *only;
    }
    static void close_all();
    recorder *any() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return all_.empty() ? nullptr : *all_.begin();
    }

    std::mutex mutex_;
    std::set<recorder *> all_;
};

/** The recorder of a collector, or none. */
class recorder {
  public:
    recorder() : open_(nullptr) {}
    recorder(const recorder &) = delete;
    recorder &operator=(const recorder &) = delete;
    ~recorder() {
        close();
    }

    /** NULL: nothing is recorded. */
    wlk_opndcoll_recorder *get() const {
        return open_;
    }

    void ask(const opndcoll_recording &asked) {
        asked_ = asked;
    }

    /** As asked, or as the environment does. */
    void open(const wlk_opndcoll_cfg &cfg, wlk_opndcoll *model, unsigned sm) {
        wlk_error err;
        wlk_opndcoll_record_options options;
        wlk_opndcoll_record_defaults(&options);
        options.stem = asked_.stem.empty() ? nullptr : asked_.stem.c_str();
        options.summary = asked_.summary.empty() ? nullptr : asked_.summary.c_str();
        options.counts = asked_.counts;
        options.state = asked_.state;
        options.first = asked_.first;
        options.last = asked_.last;
        options.sm = sm;
        if (wlk_opndcoll_record_environment(&options, &err) != WLK_OK) {
            throw opndcoll_error(err.text);
        }
        const bool is_asked =
            options.stem != nullptr || options.summary != nullptr || options.counts;
        close();
        if (is_asked && wlk_opndcoll_record_open(&open_, &cfg, model, &options, &err) != WLK_OK) {
            throw opndcoll_error(err.text);
        }
        if (is_asked) {
            open_recorders::add(this);
        }
    }

    /** What is wrong was reported. */
    wlk_status close() {
        wlk_opndcoll_recorder *const closed = open_;
        open_ = nullptr;
        if (closed != nullptr) {
            open_recorders::remove(this);
        }
        return wlk_opndcoll_record_close(closed, nullptr);
    }

  private:
    opndcoll_recording asked_;
    wlk_opndcoll_recorder *open_;
};

inline void open_recorders::close_all() {
    for (recorder *one = get().any(); one != nullptr; one = get().any()) {
        (void)one->close();
    }
}

} // namespace detail
} // namespace warplock
#endif
