/** Files that are dropped on a form. */

/** Takes files that are dropped on the field of the input. */
export function acceptDrops(input) {
  const place = input.closest('.field') ?? input
  const show = (isOver) => place.classList.toggle('dropping', isOver)
  place.addEventListener('dragover', (event) => {
    event.preventDefault()
    show(true)
  })
  place.addEventListener('dragleave', () => show(false))
  place.addEventListener('drop', (event) => {
    event.preventDefault()
    show(false)
    const { files } = event.dataTransfer
    if (files.length === 0 || (files.length > 1 && !input.multiple)) return
    input.files = files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  })
}
