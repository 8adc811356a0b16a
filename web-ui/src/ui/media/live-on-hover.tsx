import { useEffect, useState } from 'react'
import { LiveContent } from './live-media.tsx'
import { typeOf } from './media.tsx'

const WAIT_MILLISECONDS = 300
const MAX_AT_ONCE = 4

/** Content types that do not run on hover. */
const STATIC_TYPES = /^(image\/(?!svg)|text\/plain|application\/json|audio\/)/

const running = new Set<object>()

/** Runs content on hover. At most four items run at a time. */
export default function LiveOnHover({
  id,
  contentType,
  name,
}: {
  id: string
  contentType: string | null
  name: string
}) {
  const [isOn, setOn] = useState(false)
  useEffect(() => {
    if (
      !contentType ||
      STATIC_TYPES.test(typeOf(contentType)) ||
      matchMedia('(prefers-reduced-motion: reduce)').matches
    )
      return
    const self = {}
    const timer = setTimeout(() => {
      if (running.size >= MAX_AT_ONCE) return
      running.add(self)
      setOn(true)
    }, WAIT_MILLISECONDS)
    return () => {
      clearTimeout(timer)
      running.delete(self)
    }
  }, [contentType])
  return (
    isOn &&
    contentType && (
      <span data-live className="absolute inset-0">
        <LiveContent id={id} contentType={contentType} name={name} controls={false} />
      </span>
    )
  )
}
