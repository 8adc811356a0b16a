/** A list of 32-bit numbers that grows. */
export class Column {
  length = 0
  private array = new Uint32Array(1024)

  push(value: number): void {
    if (this.length === this.array.length) {
      const larger = new Uint32Array(this.length * 2)
      larger.set(this.array)
      this.array = larger
    }
    this.array[this.length++] = value
  }

  take(): Uint32Array {
    return this.array.slice(0, this.length)
  }
}
