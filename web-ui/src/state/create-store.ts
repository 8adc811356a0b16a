import { useSyncExternalStore } from 'react'

/** Creates a store outside React. `use` subscribes a component to a selected value. */
export function createStore<T>(value: T) {
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const get = () => value
  const set = (next: T) => {
    value = next
    for (const listener of listeners) listener()
  }
  const use = <S = T>(select: () => S = get as () => any) => useSyncExternalStore(subscribe, select)
  return { get, set, subscribe, use }
}
