import { type ComponentType, lazy, Suspense } from 'react'
import { Loading } from './basics.tsx'

/** A component whose code is loaded when it is first rendered; shows a skeleton in the meantime. */
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
