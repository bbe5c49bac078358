/** Loaded before a program: its clock differs from that of the machine by `CLOCK_SHIFT` milliseconds. */

const shift = Number(process.env.CLOCK_SHIFT)
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, self) =>
    Reflect.construct(target, values.length === 0 ? [target.now() + shift] : values, self),
  get: (target, name) => (name === 'now' ? () => target.now() + shift : Reflect.get(target, name, target)),
})
