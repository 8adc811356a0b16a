import { type ComponentType, lazy, Suspense } from 'react'
import { Loading } from './basics.tsx'

/** Returns a component that loads its code when first rendered. */
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
