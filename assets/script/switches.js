/** Yes or no as a switch. The select keeps the value that the form sends. */

/** Puts a switch in place of a select with `true` and `false`. */
export function showSwitch(select) {
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.role = 'switch'
  box.className = 'switch'
  box.id = select.id
  box.checked = select.value === 'true'
  for (const name of ['aria-describedby', 'aria-invalid']) {
    if (select.hasAttribute(name)) box.setAttribute(name, select.getAttribute(name))
  }
  select.removeAttribute('id')
  select.hidden = true
  select.after(box)
  box.addEventListener('change', () => {
    select.value = String(box.checked)
  })
}
