import { type ComponentType, lazy, Suspense } from 'react'
import { Loading } from './basics.tsx'

/** Returns a component whose code is loaded when it is first rendered. Shows a skeleton until then. */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() }))
  return (props) => (
    <Suspense fallback={<Loading />}>
      <Part {...props} />
    </Suspense>
  )
}
