@echo off
rem On Windows: make.bat html, make.bat test, make.bat page sinusoidal/shift. The Makefile says what each does, and has the rest.
rem Before the first call you can set PYTHON, TORCH=no (to do without torch) and PIP_ARGS (what goes to pip).
setlocal
cd /d "%~dp0"
if not defined PYTHON set PYTHON=py -3
set PY=.venv\Scripts\python.exe
rem pages and tests see none of the author's own settings of Python
for %%v in (PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTHONSTARTUP PYTHONWARNINGS PYTEST_ADDOPTS) do set %%v=
set PYTHONHASHSEED=0
set PYTHONNOUSERSITE=1

fc /b requirements.txt .venv\made-from.txt >nul 2>&1 || call :environment || exit /b 2
if "%~1"=="html" goto html
if "%~1"=="test" goto test
if "%~1"=="page" goto page
echo make.bat html, make.bat test or make.bat page sinusoidal/shift
exit /b 2

:environment
%PYTHON% -c "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))"
if errorlevel 1 (
    echo The book needs Python 3.11 to 3.14: name one, as in set PYTHON=py -3.13
    exit /b 2
)
if exist .venv rmdir /s /q .venv
%PYTHON% -m venv .venv || exit /b 2
if "%TORCH%"=="no" (findstr /v /b "torch==" requirements.txt >.venv\asked.txt) else (copy /y requirements.txt .venv\asked.txt >nul)
%PY% -m pip install -q -r .venv\asked.txt %PIP_ARGS% || exit /b 2
copy /y requirements.txt .venv\made-from.txt >nul
exit /b 0

:html
set DOCTESTS=
%PY% -c "import torch" >nul 2>&1 || set DOCTESTS=--doctest-ignore-import-errors
%PY% -m pytest -q --doctest-modules pe_book %DOCTESTS% || exit /b 1
%PY% -m sphinx -E -W -b html -c . -D "pe_executions=%CD%\docs\_build\executions" -d docs\_build\doctrees docs docs\_build\html || exit /b 1
echo Open %CD%\docs\_build\html\index.html
exit /b 0

:test
call :html || exit /b 1
set OMP_NUM_THREADS=1
%PY% -m pytest -n 2 -p tests.driver.sharing -m "not thorough" tests --ignore=tests/machinery --ignore=tests/site --ignore=tests/parity
exit /b %ERRORLEVEL%

:page
set P=%~2
%PY% docs\_ext\driver page
exit /b %ERRORLEVEL%
