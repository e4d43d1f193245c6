/**
 * What a notebook runs that names no command of its own: JupyterLab of the job's environment. It listens on loopback
 * alone, asks for the token in JUPYTER_TOKEN, and takes the next port where its own is taken. Its pages are shown under
 * names other than localhost, which it would refuse without being told.
 */
export const notebookRun = `set -- --no-browser --ip=127.0.0.1 --port="$TESS_PORT" --port-retries=50 --ServerApp.allow_remote_access=True
if command -v jupyter-lab >/dev/null 2>&1; then exec jupyter-lab "$@"; fi
if command -v jupyter >/dev/null 2>&1 && jupyter lab --version >/dev/null 2>&1; then exec jupyter lab "$@"; fi
if python3 -c 'import jupyterlab' >/dev/null 2>&1; then exec python3 -m jupyterlab "$@"; fi
echo "There is no JupyterLab in this job: jupyter-lab, jupyter lab and python3 -m jupyterlab were looked for." >&2
echo "PATH of the job: $PATH" >&2
echo "Install it in the environment that you start the job from (pip install jupyterlab), or let the job do it:" >&2
echo "  setup: python3 -m venv .env && .env/bin/pip install jupyterlab" >&2
exit 127`;
