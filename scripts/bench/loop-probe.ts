import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Loaded into a server by `--import`: at the message `probe` of its parent it begins to measure, and at `report` it sends how long the
 * event loop was held, in milliseconds.
 */
export interface LoopReport {
  /** Of timers of a millisecond: a request may wait as long. */
  p99: number
  max: number
  /** The most processor time between two turns of the loop, which other processes of the machine do not lengthen. */
  longestTurn: number
}

const delays = monitorEventLoopDelay({ resolution: 1 })
let isOn = false
let longestTurn = 0

const cpuMicroseconds = () => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

function watch(before: number): void {
  const now = cpuMicroseconds()
  longestTurn = Math.max(longestTurn, now - before)
  if (isOn) setImmediate(watch, now)
}

process.on('message', (message) => {
  if (message === 'probe') {
    delays.reset()
    delays.enable()
    longestTurn = 0
    isOn = true
    watch(cpuMicroseconds())
  } else if (message === 'report') {
    isOn = false
    delays.disable()
    const report: LoopReport = {
      p99: delays.percentile(99) / 1e6,
      max: delays.max / 1e6,
      longestTurn: longestTurn / 1000,
    }
    process.send?.({ loop: report })
  }
})
