/** Checks of the kernel that the SDK depends on. */
export const KERNEL = ['assertPreparedPsbt', 'checkSettlement']
export const SECOND: Record<string, string> = {}
export const ELSEWHERE: Record<string, string> = {}
