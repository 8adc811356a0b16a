import { useEffect, useState } from 'react'
import { queries } from '../client.ts'

let lastAnswer = Date.now()
// Events patch answers or have them read again: either way an answer arrives in the cache.
queries.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'success') lastAnswer = Date.now()
})

/** The seconds since this page last had an answer of the market. */
export function useSilence(): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - lastAnswer) / 1000)), 1000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}
