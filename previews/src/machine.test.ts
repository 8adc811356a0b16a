import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { numbersIn, processors, shareOf, workerCount } from './machine.ts'

it('processors() respects the CPU affinity of the process', () => {
  expect(numbersIn('0-3,8,10-11')).toEqual([0, 1, 2, 3, 8, 10, 11])
  expect(processors()).toHaveLength(availableParallelism())
})

describe('shareOf', () => {
  it('shareOf splits the CPUs among the painters', () => {
    const shares = [0, 1, 2].map((painter) => shareOf([0, 1, 4, 5, 6], painter, 3))
    expect(shares).toEqual([[0, 5], [1, 6], [4]])
  })

  it('shareOf returns at least one CPU per painter', () => {
    expect([0, 1, 2].map((painter) => shareOf([2, 3], painter, 3))).toEqual([[2], [3], [2]])
  })
})

describe('workerCount', () => {
  const fit = (cores: number, gigabytes: number) =>
    workerCount(
      { cores, bytes: gigabytes * 2 ** 30 },
      { previewBrowserMegabytes: 1500, previewPictureMegabytes: 900, previewCardMegabytes: 450 },
    )

  it('workerCount returns one worker per CPU, up to four', () => {
    expect([fit(1, 64), fit(2, 64), fit(16, 64)]).toEqual([1, 2, 4])
  })

  it('workerCount limits the workers by memory', () => {
    expect([fit(8, 1), fit(8, 6), fit(8, 7), fit(8, 11)]).toEqual([1, 1, 2, 3])
  })
})
