import { type ComponentType, lazy, Suspense } from 'react'
import { Loading } from './basics.tsx'

/** A component whose code the browser loads when it is first shown, as of a tab or a ticket; a skeleton holds its place. */
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
