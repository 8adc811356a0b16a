/** Data counts as live for this long after a response. */
const FRESH_SECONDS = 10
/** Pages poll every 20 seconds, so a longer silence means a dead connection. */
const DEAD_SECONDS = 45

/** Returns how fresh the data is after `silence` seconds. A dead connection can still appear connected. */
export function freshnessOf(isConnected: boolean, silence: number): 'live' | 'quiet' | 'lost' {
  if (silence < FRESH_SECONDS) return isConnected ? 'live' : 'quiet'
  return isConnected && silence < DEAD_SECONDS ? 'quiet' : 'lost'
}
